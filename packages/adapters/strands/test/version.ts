import * as strands from '@strands-agents/sdk'

/** Whether the installed Strands is a 1.0: later versions order hooks, and have events of interrupts. */
export const isVersion10: boolean = !('HookOrder' in strands)
