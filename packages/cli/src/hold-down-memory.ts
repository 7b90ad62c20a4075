import { setFlagsFromString } from 'node:v8'

/** Limit V8's growth for short-lived objects, which saves 120 of 150 MB when streaming a gigabyte. */
export const holdDownMemory = (): void => setFlagsFromString('--semi-space-growth-factor=1')
