/** Broken JSON gives `undefined`: the error of the parser would quote the answer, secrets included. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
