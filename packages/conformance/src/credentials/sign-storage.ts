import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { signCanonical, type Tc3Keys, type Tc3Parts, toTc3Header } from './sign-tc3.ts';

const { storageVersion, storageSignedHeaders, storageContentType } = defaults.signature;
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * The value of the storage authorization header for a time. What is signed is a constant text, whatever
 * the call (D17).
 *
 * @param timestamp Unix time in seconds
 */
export function signStorage(timestamp: number, signingHost: string, keys: Tc3Keys): string {
  const canonical = [
    'POST',
    `//${signingHost}/`,
    '',
    `content-type:${storageContentType}`,
    `host:${signingHost}`,
    '',
    storageSignedHeaders,
    NOTHING,
  ].join('\n');
  const { Credential, SignedHeaders, Signature }: Tc3Parts = signCanonical(
    canonical,
    storageSignedHeaders,
    timestamp,
    keys,
  );
  return `${storageVersion} ${toTc3Header({ Credential, SignedHeaders, Signature })}`;
}
