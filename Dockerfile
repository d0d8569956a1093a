# Countersign in one image: a chat replica, or with no settings at all the whole demo.
FROM python:3.11-slim AS build
WORKDIR /srv
COPY requirements.lock .
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -r requirements.lock
ARG EXTRAS=""
RUN if [ -n "$EXTRAS" ]; then /venv/bin/pip install --no-cache-dir $EXTRAS; fi
ARG EMBEDDING_MODEL=builtin
RUN if [ "$EMBEDDING_MODEL" != builtin ]; then HF_HOME=/models /venv/bin/python -c \
    "import sys; from fastembed import TextEmbedding; TextEmbedding(sys.argv[1], cache_dir='/models')" "$EMBEDDING_MODEL"; \
    else mkdir -p /models; fi

FROM python:3.11-slim
# initdb needs a user that has a name, hence the passwd entry.
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin countersign \
    && mkdir -p /data && chown 1000:1000 /data
COPY --from=build /venv /venv
COPY --from=build /models /models
WORKDIR /srv
COPY --chown=root:root app.py pyproject.toml ./
COPY --chown=root:root agent agent
COPY --chown=root:root backend backend
COPY --chown=root:root router router
COPY --chown=root:root store store
COPY --chown=root:root tools tools
COPY --chown=root:root ui ui
# A start that has to compile takes twice as long, and nothing may be written here later.
RUN /venv/bin/python -m compileall -q app.py agent backend router store tools ui
ARG EMBEDDING_MODEL=builtin
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    LANGGRAPH_STRICT_MSGPACK=true GRADIO_ANALYTICS_ENABLED=False \
    HOST=0.0.0.0 PORT=7860 DATA_DIR=/data EMBEDDING_MODEL=$EMBEDDING_MODEL FASTEMBED_CACHE_PATH=/models
USER 1000
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD python -c "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=2)"
CMD ["python", "app.py"]
