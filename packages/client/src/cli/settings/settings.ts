/** What the commands are set up with, each by its name in the file, its variable and its meaning. */
export const SETTINGS = {
  env: ['BERTH_ENV', 'environment'],
  storageUrl: ['BERTH_STORAGE_URL', 'address of the storage API'],
  gatewayUrl: ['BERTH_GATEWAY_URL', 'address of the gateway'],
  gatewayDomain: [
    'BERTH_GATEWAY_DOMAIN',
    'or its domain, to which the environment is put in front',
  ],
  secretId: ['BERTH_SECRET_ID', 'key pair: names it'],
  secretKey: ['BERTH_SECRET_KEY', 'key pair: signs'],
  sessionToken: ['BERTH_SESSION_TOKEN', 'key pair: its token, where it is temporary'],
  token: ['BERTH_TOKEN', 'access token for the gateway; goes before the key pair'],
  signingService: ['BERTH_SIGNING_SERVICE', 'service in signatures, where it is another'],
  signingHost: ['BERTH_SIGNING_HOST', 'host in signatures of storage, where it is another'],
  wireProfile: ['BERTH_WIRE_PROFILE', 'JSON file with names of the deployment'],
} as const;

export type SettingName = keyof typeof SETTINGS;

export type Settings = { readonly [Name in SettingName]?: string };

/** Those that nobody else on the machine may read. */
export const SECRETS: readonly SettingName[] = ['secretKey', 'sessionToken', 'token'];
