// Our router mounted in Express 5.
import express from 'express';
import { portOf } from './stubs-handler.ts';
import { router } from './stubs-router.ts';

express().use(router).listen(portOf(), '127.0.0.1');
