/** A token with a good signature that is refused all the same. Its message quotes nothing of it. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
