import { BerthError } from '../errors/berth-error.ts';
import { ContractError } from '../errors/contract-error.ts';
import { rememberCall } from '../internal/calls.ts';
import { describeAnswer } from '../internal/describe-answer.ts';
import { parseJson } from '../internal/parse-json.ts';
import { networkFailure } from '../internal/pipeline/network-failure.ts';

/**
 * What the parts that are loaded late are handed. They do not import it: a bundler that puts all into
 * one file wraps what they import, also for those who never use them.
 */
export const SHARED = {
  BerthError,
  ContractError,
  describeAnswer,
  networkFailure,
  parseJson,
  rememberCall,
};
export type Shared = typeof SHARED;
