import type { Json, MutatedAnswer } from '../../proxy/messages.ts';

/** Changes the JSON of an answer in place, where it is some. */
export function changeJson(answer: MutatedAnswer, change: (json: Json) => void): void {
  const { json } = answer;
  if (json === undefined) return;
  change(json);
  answer.json = json;
}

/** Changes the entries of a list answer, in place or by returning others; a refusal stays as it is. */
export function changeEntries(answer: MutatedAnswer, change: (entries: Json[]) => unknown): void {
  changeJson(answer, (json) => {
    const data = json.body?.data;
    if (!Array.isArray(data?.fileList)) return;
    const others = change(data.fileList);
    if (Array.isArray(others)) data.fileList = others;
  });
}
