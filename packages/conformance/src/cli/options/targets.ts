import { COPY_PATHS, ENVELOPES, MAX_AGE_UNITS } from '../../options.ts';
import { REQUEST_FORMS } from '../../requests/request-form.ts';
import type { OptionGroup } from './option-spec.ts';

/** What is checked, and how it writes what the contract leaves open. */
export const targets = {
  gatewayUrl: {
    kind: 'text',
    value: '<url>',
    about: 'base URL of the gateway; without one the gateway is not checked',
  },
  gatewayHost: {
    kind: 'text',
    value: '<host>',
    about: 'Host header of the gateway calls; its first label is the environment',
    usual: 'that of the URL',
  },
  storageUrl: {
    kind: 'text',
    value: '<url>',
    about: 'base URL of the storage API, without /api/v2; without one it is not checked',
  },
  env: { kind: 'text', value: '<id>', about: 'environment of the storage calls', usual: 'dev' },
  service: {
    kind: 'text',
    value: '<name>',
    about: 'name under which the fixture service is deployed',
    usual: 'conformance',
  },
  forbiddenService: {
    kind: 'text',
    value: '<name>',
    about: 'a service that this caller may not use, for GW-ERROR-FORBIDDEN',
  },
  wireProfile: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'JSON file with the names that the deployment uses on the wire',
    usual: 'those of the contract',
  },
  requestForm: {
    kind: 'text',
    value: '<form>',
    choices: REQUEST_FORMS,
    about: 'where storage requests have their fields: at the top level, or inside data',
    usual: 'found with a call',
  },
  envelope: {
    kind: 'text',
    value: '<form>',
    choices: ENVELOPES,
    about: 'form of the storage answers; flat is a declared deviation',
    usual: 'wrapped',
  },
  copyPath: {
    kind: 'text',
    value: '<form>',
    choices: COPY_PATHS,
    about: 'how copy paths are written; relative is a declared deviation',
    usual: 'absolute',
  },
  maxAgeUnit: {
    kind: 'text',
    value: '<unit>',
    choices: MAX_AGE_UNITS,
    about: 'unit of maxAge; another than s is a declared deviation',
    usual: 's',
  },
} as const satisfies OptionGroup;
