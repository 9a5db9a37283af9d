import { createMock } from '@berth/mock';

await using mock = await createMock(); // a free port of 127.0.0.1

const response = await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello/a/b?x=1`, {
  headers: { authorization: 'Bearer dev' },
});
