export { noFile as fileSize, noFile as fileToBlob, noFile as saveFile } from './web/no-file.ts';
export { sendForm } from './web/send-form.ts';

/** Whether any header may be sent to a link: a browser asks the server first (CORS). */
export const sendsIfRange = false;
