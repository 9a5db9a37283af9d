// #region events
import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

for await (const { data } of gateway
  .service('echo')
  .events('?data=one&data=two', { reconnect: false })) {
  console.log(data);
}
// #endregion

// #region socket
const socket = await gateway.service('echo').connect('chat');
socket.addEventListener('message', ({ data }) => {
  console.log(data);
  socket.close();
});
socket.send('hello');
// #endregion

// #region body
const { body } = await gateway.service('echo').request('body', { method: 'POST', body: 'a text' });
for await (const chunk of body ?? []) console.log(chunk.byteLength);
// #endregion
