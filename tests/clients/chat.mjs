// A @gradio/client driven by JSON lines: one command a line on stdin, events on stdout.
// {"id": 1, "op": "submit", "payload": {...}} answers {"id": 1, "event": "data" | "error" | "end", ...};
// {"id": 1, "op": "cancel"} cancels that submit.
import { createInterface } from "node:readline";
import { Client } from "@gradio/client";

const [url, jwt] = process.argv.slice(2);
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const headers = jwt ? { "X-User-JWT": jwt } : {};
const client = await Client.connect(url, { headers, events: ["data", "status"] });
const jobs = new Map();
say({ event: "ready" });

async function follow(id, job) {
  try {
    for await (const event of job) {
      if (event.type === "data") say({ id, event: "data", data: event.data[0] });
      else if (event.type === "status" && event.stage === "error") say({ id, event: "error", message: event.message ?? "", title: event.title ?? "" });
    }
  } catch (error) {
    say({ id, event: "error", message: String(error?.message ?? error) });
  }
  jobs.delete(id);
  say({ id, event: "end" });
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  if (command.op === "submit") {
    const job = client.submit("/chat", command.payload);
    jobs.set(command.id, job);
    follow(command.id, job);
  } else if (command.op === "cancel") await jobs.get(command.id)?.cancel();
}
process.exit(0);
