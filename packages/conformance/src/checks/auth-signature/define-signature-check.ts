import type { Trial } from '../../trial/trial.ts';
import { type Check, defineCheck } from '../check.ts';
import { expectLetThrough, expectRefused } from '../support/expect-admission.ts';
import { arrivesChanged } from './arrives-changed.ts';
import { reachSignature } from './reach-signature.ts';
import { type SignedCall, signCall } from './sign-call.ts';

/** Signed calls by what they are, in words. */
export type NamedSignedCalls = Record<string, SignedCall>;

/** What a check of one side of the signature sends. */
export interface SignatureCases {
  /** Calls that must be let through. */
  good?: NamedSignedCalls;
  /** Calls that must be refused, and that the hosted service must not see; they carry the mark in their query. */
  bad?: NamedSignedCalls;
}

/**
 * Defines the check of a rule about signatures.
 *
 * @param toCases the calls; `mark` is what bad ones carry as `mark=…` in their query
 */
export function defineSignatureCheck(
  rule: string,
  toCases: (t: Trial, mark: string) => SignatureCases,
): Check {
  return defineCheck(rule, ['fixture', 'signature'], async (t) => {
    await reachSignature(t);
    const mark = t.uniqueName();
    const { good, bad } = toCases(t, mark);
    if (good) await expectLetThrough(t, signAll(t, good), arrivesChanged);
    if (bad) await expectRefused(t, mark, signAll(t, bad), arrivesChanged);
  });
}

function signAll(t: Trial, calls: NamedSignedCalls) {
  return Object.fromEntries(
    Object.entries(calls).map(([what, call]) => [what, signCall(t, call)] as const),
  );
}
