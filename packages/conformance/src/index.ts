export { type Conformance, createConformance } from './create-conformance.ts';
export { StartError } from './errors.ts';
export type { ConformanceOptions, KnownFailure } from './options.ts';
export type { Report } from './report/verdict.ts';
export type { Finding, Outcome, ReceivedResponse, Result, SentRequest } from './results/result.ts';
