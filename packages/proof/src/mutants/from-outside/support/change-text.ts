import type { MutatedAnswer } from '../../../proxy/messages.ts';

/** Changes the body of an answer as text in which every byte is a character. */
export function changeText(answer: MutatedAnswer, change: (text: string) => string): void {
  answer.body = Buffer.from(change(answer.body.toString('latin1')), 'latin1');
}
