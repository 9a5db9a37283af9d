import { contract } from '@berth/server-stubs';
import { DEVELOPMENT_ENV } from '../development/development-config.ts';
import { type CurlOptions, listCurls } from './list-curls.ts';

export interface DevelopmentFacts extends CurlOptions {
  readonly adminUrl: string;
  /** Absolute path of the data folder. */
  readonly data: string;
}

/** What a development server prints: its addresses, its keys, and calls to paste. */
export function describeDevelopment(facts: DevelopmentFacts): string {
  const { url, adminUrl, data, keyPair, token } = facts;
  const { documents } = contract;
  return [
    '*** FOR DEVELOPMENT ONLY: its keys are printed here and lie in its data folder. ***',
    '*** Start it with --config for anything that others can reach.                  ***',
    '',
    `Berth server: gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, environment ${DEVELOPMENT_ENV}`,
    '',
    `Gateway      ${url}/v1/cloudrun/hello`,
    `Storage API  ${url}/api/v2/envs/${DEVELOPMENT_ENV}`,
    `Admin        ${adminUrl}/healthz, /readyz, /metrics`,
    `Data         ${data}`,
    `Token        ${token}`,
    `Key pair     id ${keyPair.id}, secret ${keyPair.secret}`,
    '',
    'Paste these in order:',
    '',
    listCurls(facts),
    '',
  ].join('\n');
}
