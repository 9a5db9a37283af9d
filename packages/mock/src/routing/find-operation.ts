import type { Operation } from '../contract/operations.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import type { Router } from './create-router.ts';
import { nearPaths } from './near-paths.ts';
import { decodeSegment, hasDotSegment } from './request-target.ts';

/** A surface's codes for what can be wrong with a method and a path. */
export interface PathCodes {
  unknownPath: string;
  method: string;
  invalid: string;
}

export interface Found {
  operation: Operation;
  /** Path parameters, decoded once; a greedy one stays raw. */
  params: Record<string, string>;
}

/**
 * The operation that a call names.
 *
 * @throws Refusal 404 that names near paths, 405 with `Allow`, 400 for a path that means another one
 */
export function findOperation({ method, path }: Call, router: Router, codes: PathCodes): Found {
  const match = router.match(method, path);
  if (match === undefined)
    throw new Refusal(codes.unknownPath, unknownPath(path, router.templates));
  if ('allow' in match) {
    const allow = match.allow.join(', ');
    throw new Refusal(codes.method, `The path does not take ${method}: use ${allow}.`, {
      headers: { allow },
    });
  }
  const { operation } = match;
  const params = Object.entries(match.params).map(([name, raw]) => {
    // D3: "A segment that is `.` or `..` after one decoding is 400".
    if (hasDotSegment(raw)) {
      throw new Refusal(
        codes.invalid,
        `${name} must not have a segment "." or "..", also not encoded.`,
      );
    }
    const value = name === operation.greedy ? raw : decodeSegment(raw);
    if (value === undefined) {
      throw new Refusal(
        codes.invalid,
        `${name} is not valid percent-encoding: write "%" as "%25".`,
      );
    }
    return [name, value];
  });
  return { operation, params: Object.fromEntries(params) };
}

function unknownPath(path: string, templates: string[]): string {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  const near = nearPaths(path, templates);
  const hint = near.length > 0 ? ` Near it: ${near.join(', ')}.` : '';
  return `${shown} is no path of this API.${hint}`;
}
