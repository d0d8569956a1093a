"""What the demo model says when nothing was asked of the workspace: plainly, and honest about what it is."""

from collections.abc import Mapping, Sequence

from agent.demo.clauses import Clause
from agent.demo.language import Lang

REPLIES: Mapping[str, tuple[str, str]] = {
    "identity": (
        "I am the built-in demo model: a set of rules, no neural network. I understand requests to this workspace in "
        "English and Russian. Set a model key to talk to a real model.",
        "Я встроенная демо-модель: набор правил, а не нейросеть. Понимаю просьбы к этому рабочему пространству "
        "по-русски и по-английски. Задайте ключ модели, чтобы говорить с настоящей.",
    ),
    "mood": (
        "Fine, thank you; I am a rule-based demo model, so it never varies. What should we look at?",
        "Спасибо, как всегда: я демо-модель на правилах. С чем разобраться?",
    ),
    "thanks": ("You are welcome.", "Пожалуйста."),
    "greeting": (
        "Hello! I am the demo model. Ask me about environments, dashboards, datasets, backups, tasks, people or "
        "documents.",
        "Здравствуйте! Я демо-модель. Спросите про окружения, дашборды, датасеты, резервные копии, задачи, людей "
        "или документы.",
    ),
}
UNCLEAR = (
    "I am a rule-based demo model and did not recognise a request to the workspace here. "
    "Ask “what can you do?” to see what I can look up and change.",
    "Я демо-модель на правилах и не распознала здесь просьбу к рабочему пространству. "
    "Спросите «что ты умеешь?», чтобы увидеть, что я могу найти и изменить.",
)
UNFINISHED = (
    "I had to stop here; what is left was not done.",
    "Здесь пришлось остановиться; остальное не сделано.",
)


def reply(clauses: Sequence[Clause], lang: Lang) -> str:
    """An answer to small talk, else the admission that nothing was understood."""
    concepts = frozenset().union(*(c.concepts for c in clauses))
    told = next((texts for concept, texts in REPLIES.items() if concept in concepts), UNCLEAR)
    return told[lang == "ru"]
