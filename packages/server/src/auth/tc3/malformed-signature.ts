/** A signature that cannot be read. Its message quotes nothing of what was sent. */
export class MalformedSignature extends Error {
  override readonly name = 'MalformedSignature';
}
