/** Where the upload target is mounted. */
export const UPLOAD_PATH = '/upload';

/** Where downloads are. */
export const FILES_PATH = '/files';
