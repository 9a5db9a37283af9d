import { GatewayError } from '../errors.ts';
import { SIGNATURE } from '../generated/contract.gen.ts';
import type { SecurityHandlers } from '../generated/gateway.v1/index.gen.ts';
import { hostOf, isLoopback } from '../http/host.ts';
import type { EnvOption } from '../http/router-options.ts';
import type { Call, SecurityHandler } from '../runtime/index.ts';

/** A call that has not been authenticated yet. */
export interface GatewayLogin extends Call {
  /** Environment that the host name selects. Reject credentials for any other (D15). */
  readonly env: string;
}

/**
 * Returns the caller that a credential belongs to. Return `undefined`, `null` or `false` to reject it,
 * or throw a `GatewayError` to give a reason, such as `ACCESS_TOKEN_EXPIRED`.
 */
export type GatewayLoginHandler<Caller> = (
  credential: string,
  call: GatewayLogin,
) => Caller | undefined | null | false | Promise<Caller | undefined | null | false>;

/**
 * The handlers for the gateway's security schemes. It is enough that one of the schemes authenticates a call
 * (D15).
 */
export type GatewaySecurity<Caller = unknown> = {
  /**
   * - `bearerToken` gets the access token, without `Bearer`.
   * - `signature` gets the complete `Authorization` header, which starts with `TC3-HMAC-SHA256` (D16).
   *   The signature covers the SHA-256 of the body, which has not been read yet.
   */
  readonly [Scheme in keyof SecurityHandlers]: GatewayLoginHandler<Caller>;
};

type Security = Readonly<Record<keyof SecurityHandlers, SecurityHandler>>;

export function toGatewaySecurity(
  { bearerToken, signature }: GatewaySecurity,
  env: EnvOption | undefined,
): Security {
  const toLogin = (call: Call): GatewayLogin => {
    const login = call as Call & { env: string };
    login.env = envOf(call, env);
    return login;
  };
  return {
    bearerToken: (token, call) => bearerToken(token, toLogin(call)),
    signature: (value, call) =>
      value.split(' ', 1)[0] === SIGNATURE.algorithm ? signature(value, toLogin(call)) : undefined,
  };
}

/**
 * The environment is the first label of the host name. A server with a single environment also accepts any
 * loopback host. An unknown environment is `INVALID_HOST` (D12).
 */
function envOf({ request }: Pick<Call, 'request'>, env: EnvOption | undefined): string {
  const host = hostOf(request);
  if (host === undefined) {
    throw new GatewayError('INVALID_HOST', {
      message: 'The Host header is missing, duplicated, or not a host name.',
    });
  }
  const isOwn = isLoopback(host);
  const label = isOwn ? host : (host.split('.', 1)[0] as string);
  if (env === undefined) return label;
  if (typeof env === 'function') {
    if (env(label)) return label;
  } else if (isOwn || label === env.toLowerCase()) {
    return env;
  }
  throw new GatewayError('INVALID_HOST', {
    message: `The host ${host} does not belong to any environment of this gateway.`,
  });
}
