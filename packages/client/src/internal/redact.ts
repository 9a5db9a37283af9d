/** Replaces each secret in a text, and what follows its scheme (`Bearer …`), by `[redacted]`. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, secret.slice(secret.indexOf(' ') + 1)])
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
