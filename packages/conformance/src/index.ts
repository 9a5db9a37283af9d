export { type Conformance, createConformance } from './create-conformance.ts';
export type { ReceivedResponse, SentRequest } from './http/reported-call.ts';
export type { ConformanceOptions, KnownFailure } from './options.ts';
export type { Report } from './report/verdict.ts';
export { StartError } from './errors.ts';
export type { Finding, Outcome, Result } from './results/result.ts';
