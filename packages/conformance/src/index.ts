export { type Conformance, createConformance } from './create-conformance.ts';
export { StartError } from './errors/errors.ts';
export type { ReceivedResponse, SentRequest } from './http/reported-call.ts';
export type { ConformanceOptions, KnownFailure } from './options/options.ts';
export type { Report } from './report/verdict.ts';
export type { Finding, Outcome, Result } from './results/result.ts';
