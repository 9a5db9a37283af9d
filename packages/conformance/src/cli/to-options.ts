import type { AuthModule } from '../credentials/auth-module.ts';
import type { ConformanceOptions, CopyPath, Envelope, Level, MaxAgeUnit } from '../options.ts';
import type { RequestForm } from '../requests/request-form.ts';
import { StartError } from '../start-error.ts';
import { assertRuleNames } from './assert-rule-names.ts';
import { type Given, toFlag, toVariable } from './options/options.ts';
import { parseStorageHeaders } from './parse-storage-headers.ts';
import { readAuthModule } from './read-auth-module.ts';
import { readBaseline } from './read-baseline.ts';
import { readCertificates } from './read-certificates.ts';
import { readWireProfile } from './read-wire-profile.ts';

/**
 * What the given options ask of a run; files that they name are read.
 *
 * @throws StartError that names the option
 */
export async function toOptions(given: Given): Promise<ConformanceOptions> {
  assertRuleNames('--only', given.only);
  assertRuleNames('--skip', given.skip);
  const { gatewayUrl, storageUrl } = given;
  if (gatewayUrl === undefined && storageUrl === undefined) {
    throw new StartError(
      `${toFlag('gatewayUrl')} or ${toFlag('storageUrl')} is missing; ${toVariable('gatewayUrl')}, or gatewayUrl in the file of --config, does as well.`,
    );
  }
  const { env, service, forbiddenService, gatewayHost, gatewayToken, otherEnvToken } = given;
  const { expiredToken, only, skip, rules, readOnly, prefix, insecure, proxy } = given;
  const { timeout, budget, concurrency, seed, runs, bail } = given;
  return {
    ...{ gatewayUrl, storageUrl },
    ...{ env, service, forbiddenService, gatewayHost, gatewayToken, otherEnvToken, expiredToken },
    ...{ only, skip, rules, readOnly, prefix, insecure, proxy },
    ...{ timeout, budget, concurrency, seed, runs, bail },
    tc3: toTc3(given),
    storageHeaders: parseStorageHeaders(given.storageHeader),
    auth: await when(given.authModule, (file): Promise<AuthModule> => readAuthModule(file)),
    wireProfile: await when(given.wireProfile, readWireProfile),
    ca: await when(given.ca, readCertificates),
    baseline: await when(given.baseline, readBaseline),
    envelope: given.envelope as Envelope | undefined,
    requestForm: given.requestForm as RequestForm | undefined,
    copyPath: given.copyPath as CopyPath | undefined,
    maxAgeUnit: given.maxAgeUnit as MaxAgeUnit | undefined,
    level: given.level as Level | undefined,
  };
}

function toTc3(given: Given): ConformanceOptions['tc3'] {
  const { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token, tc3Service } = given;
  const { storageSigningHost } = given;
  if (secretId !== undefined && secretKey !== undefined) {
    return { secretId, secretKey, token: tc3Token, service: tc3Service, storageSigningHost };
  }
  const half = secretId === undefined ? 'tc3SecretId' : 'tc3SecretKey';
  const parts = { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token, tc3Service };
  const [alone] = Object.entries({ ...parts, storageSigningHost })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (alone === undefined) return undefined;
  throw new StartError(`${toFlag(alone)} needs ${toFlag(half)}.`);
}

async function when<From, To>(
  value: From | undefined,
  read: (value: From) => Promise<To>,
): Promise<To | undefined> {
  return value === undefined ? undefined : read(value);
}
