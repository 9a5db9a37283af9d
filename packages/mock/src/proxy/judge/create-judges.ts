import type { Context } from '../../context.ts';
import { perProfile } from '../../contract/per-profile.ts';
import { type AnswerJudge, createAnswerJudge } from './create-answer-judge.ts';
import { createRequestJudge, type RequestJudge } from './create-request-judge.ts';

/** Both judges, for the names on the wire that are in use now. */
export interface Judges {
  readonly request: RequestJudge;
  readonly answer: AnswerJudge;
}

export function createJudges(context: Context): () => Judges {
  return perProfile(context, (profile) => ({
    request: createRequestJudge(context),
    answer: createAnswerJudge(profile, context.contract.documents),
  }));
}
