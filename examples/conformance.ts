import { createConformance } from '@berth/conformance';

const { exitCode, results } = await createConformance({
  gatewayUrl: 'http://127.0.0.1:4010',
  storageUrl: 'http://127.0.0.1:4010',
  gatewayToken: 'any',
  storageHeaders: { 'X-Svc-Authorization': '1.0 any', 'X-Svc-TimeStamp': '1700000000' },
  only: ['GW-C', 'ST-COPY'],
}).run();
