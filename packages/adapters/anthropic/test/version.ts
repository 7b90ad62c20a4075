import Anthropic from '@anthropic-ai/sdk'

/** Whether the installed SDK has message threads, with which its tool runner sends only new messages. */
export const hasThreads: boolean = 'thread' in Anthropic.Beta.Messages.prototype
