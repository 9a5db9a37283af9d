import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type GatewayCall, GatewayError, StorageError } from '@berth/server-stubs';
import { errors, importJWK, jwtVerify } from 'jose';
import type { WireProfile } from '../../contract/wire-profile.ts';
import { recordOf } from '../../session/call-record.ts';
import { type Auth, createPresentAuth } from './auth.ts';
import { TOKEN_KEY } from './credentials.ts';
import { judgeGatewaySignature, judgeStorageSignature, SignatureError } from './tc3.ts';

/** Who signed the head of a call, and how to judge its body. */
interface Signer {
  readonly id: string;
  readonly verifyBody?: (hash: string) => void;
}

/** Lets in who has a token or a signature that was made with the keys of every mock (D15 to D19). */
export async function createStrictAuth(env: string, profile: WireProfile): Promise<Auth> {
  const { d: _secret, ...publicKey } = TOKEN_KEY;
  const key = await importJWK(publicKey);
  const present = createPresentAuth(profile);
  return {
    gateway: {
      async bearerToken(token, login) {
        await present.gateway.bearerToken(token, login);
        const now = recordOf(login.request).session.clock.now();
        try {
          const { payload } = await jwtVerify(token, key, {
            algorithms: [TOKEN_KEY.alg],
            audience: env,
            requiredClaims: ['exp', 'sub'],
            currentDate: new Date(now),
          });
          return { id: payload.sub };
        } catch (error) {
          throw toTokenError(error);
        }
      },
      async signature(value, login): Promise<Signer> {
        await present.gateway.signature(value, login);
        const now = recordOf(login.request).session.clock.now();
        return guard('INVALID_CREDENTIALS', GatewayError, () =>
          judgeGatewaySignature(value, login, now),
        );
      },
    },
    storage: {
      async credentials(credentials, login) {
        await present.storage.credentials(credentials, login);
        const now = recordOf(login.request).session.clock.now();
        return guard('SIGN_PARAM_INVALID', StorageError, () =>
          judgeStorageSignature(credentials, profile, now),
        );
      },
    },
    verifyBody(input, call) {
      const { verifyBody } = (call as GatewayCall<Signer>).caller;
      if (verifyBody === undefined || input.body === undefined) return undefined;
      return buffer(input.body).then((bytes) => {
        const hash = createHash('sha256').update(bytes).digest('hex');
        guard('INVALID_CREDENTIALS', GatewayError, () => verifyBody(hash));
        return { ...input, body: Readable.from([bytes]) };
      });
    },
  };
}

function toTokenError(error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const message = `The claim ${error.claim} of the access token is missing or wrong.`;
    return new GatewayError('ACCESS_TOKEN_INVALID', { message });
  }
  return new GatewayError('ACCESS_TOKEN_INVALID');
}

function guard<Result>(
  code: string,
  Refusal: typeof GatewayError | typeof StorageError,
  judge: () => Result,
): Result {
  try {
    return judge();
  } catch (error) {
    if (error instanceof SignatureError) throw new Refusal(code, { message: error.message });
    throw error;
  }
}
