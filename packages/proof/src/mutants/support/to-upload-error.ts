import { MutatedAnswer } from '../../proxy/messages.ts';

/** An error of the upload target in the form of the contract. */
export function toUploadError(status: number, code: string): MutatedAnswer {
  const error = `<Error><Code>${code}</Code><Message>refused by a mutant</Message></Error>`;
  return new MutatedAnswer(status, { 'Content-Type': 'application/xml' }, error);
}
