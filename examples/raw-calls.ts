import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

// #region raw
import { toGatewayError } from '@berth/client';

const result = await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'hello' } } });
if (!result.response.ok) throw toGatewayError(result);
console.log(result.data);
// #endregion
