import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { OptionGroup } from './option-spec.ts';

/** Who calls. */
export const credentials = {
  gatewayToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'access token of the gateway calls, without Bearer',
  },
  otherEnvToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'valid access token of another environment, for AU-BEARER-ENV',
  },
  expiredToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'expired access token of this environment, for AU-BEARER-BAD',
  },
  tc3SecretId: {
    kind: 'text',
    value: '<id>',
    about: 'key pair for signature version 3: of gateway calls, and of storage calls',
  },
  tc3SecretKey: {
    kind: 'text',
    value: '<key>',
    isSecret: true,
    about: 'the secret of that key pair',
  },
  tc3Token: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'token of temporary credentials',
  },
  tc3Service: {
    kind: 'text',
    value: '<name>',
    about: 'service name in the credential scope',
    usual: defaults.signature.service,
  },
  storageSigningHost: {
    kind: 'text',
    value: '<host>',
    about: 'constant host that storage calls are signed for',
    usual: defaults.signature.storageSigningHost,
  },
  storageHeader: {
    kind: 'list',
    value: '<header>',
    isSecret: true,
    about: "header of the storage calls, 'Name: value', sent as given; repeatable",
  },
  authModule: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'ES module with signers of your own: export default { gateway(call), storage(call) }',
  },
} as const satisfies OptionGroup;
