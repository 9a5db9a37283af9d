export * from './web.ts';
export { sendForm } from './workerd/send-form.ts';

/** Whether any header may be sent to a link. */
export const sendsIfRange = true;
