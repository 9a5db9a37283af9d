import { importJWK, SignJWT } from 'jose';
import { TOKEN_KEY } from './credentials.ts';

const DAYS = 30;

/**
 * Mints an access token that a strict mock accepts (D19).
 *
 * @param env the mock's environment
 */
export async function mintToken(env: string, subject = 'mock'): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: TOKEN_KEY.alg, typ: 'JWT' })
    .setAudience(env)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(`${DAYS} days`)
    .sign(await importJWK(TOKEN_KEY));
}
