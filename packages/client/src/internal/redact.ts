/** The parts of a credential or a signed address that are secret by themselves (D16). */
const SECRET_PARTS = /(?<=(?:sign|signature|token)=)[^,&\s]+/gi;

/**
 * Replaces each secret in a text by `[redacted]`, also where only what follows its scheme
 * (`Bearer …`) stands there, or only the signature or the token within it.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [
      secret,
      secret.slice(secret.indexOf(' ') + 1),
      ...(secret.match(SECRET_PARTS) ?? []),
    ])
    .filter(Boolean)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
