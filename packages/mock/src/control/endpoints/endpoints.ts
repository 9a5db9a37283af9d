import type { Endpoint } from '../endpoint.ts';
import { clockEndpoints } from './clock-endpoints.ts';
import { faultEndpoints } from './fault-endpoints.ts';
import { fileEndpoints } from './file-endpoints.ts';
import { getContract } from './get-contract.ts';
import { getInfo } from './get-info.ts';
import { requestEndpoints } from './request-endpoints.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { sessionEndpoints } from './session-endpoints.ts';

/** All that the control API does. Of two that fit a path, the first is meant. */
export const endpoints: readonly Endpoint[] = [
  getInfo,
  ...sessionEndpoints,
  ...faultEndpoints,
  ...clockEndpoints,
  ...requestEndpoints,
  ...fileEndpoints,
  ...serviceEndpoints,
  getContract,
];
