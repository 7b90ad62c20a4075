import Anthropic from '@anthropic-ai/sdk'

/** Whether the installed SDK has message threads, by which its tool runner sends new messages only. */
export const hasThreads: boolean = 'thread' in Anthropic.Beta.Messages.prototype
