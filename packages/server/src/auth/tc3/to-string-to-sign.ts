import { TERMINATOR } from './parse-signature.ts';

/** What of the credential scope the signature covers. */
export interface Tc3Scope {
  /** UTC, `2023-11-14`. */
  readonly date: string;
  readonly service: string;
}

/** @param requestHash SHA-256 of the canonical request in hex */
export function toStringToSign(
  algorithm: string,
  timestamp: number,
  { date, service }: Tc3Scope,
  requestHash: string,
): string {
  return `${algorithm}\n${timestamp}\n${date}/${service}/${TERMINATOR}\n${requestHash}`;
}

/** The UTC date that a scope must have. A time of at most 12 digits has one. */
export function toScopeDate(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().split('T', 1)[0] as string;
}
