import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

// #region raw
const { data, error, response } = await gateway.GET('/v1/cloudrun/{name}', {
  params: { path: { name: 'hello' } },
});
console.log(response.ok ? data : error);
// #endregion
