export { type Conformance, createConformance } from './create-conformance.ts';
export type { ReceivedResponse, SentRequest } from './http/reported-call.ts';
export { StartError } from './not-run.ts';
export type { ConformanceOptions, KnownFailure } from './options.ts';
export type { Report } from './report/verdict.ts';
export type { Finding, Outcome, Result } from './result.ts';
