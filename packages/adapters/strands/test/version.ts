import * as strands from '@strands-agents/sdk'

/** Whether the installed Strands is 1.0. Later versions can order hooks, and have events for interrupts. */
export const isVersion10: boolean = !('HookOrder' in strands)
