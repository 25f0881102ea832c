// Reads AsyncAPI documents from standard input, as a JSON array; writes what the official parser finds wrong with each.
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";

const WORSE_THAN_A_HINT = 1;

const answers = [];
for (const form of JSON.parse(readFileSync(0, "utf-8"))) {
  const { document, diagnostics } = await new Parser().parse(JSON.stringify(form));
  const found = diagnostics.filter((found) => found.severity <= WORSE_THAN_A_HINT);
  answers.push({
    channels: document?.channels().all().length ?? 0,
    wrong: found.map(({ code, path, message }) => `${code} at ${path.join("/")}: ${message}`),
  });
}
console.log(JSON.stringify(answers));
