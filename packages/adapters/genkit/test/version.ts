import * as beta from 'genkit/beta'

/** Whether the installed Genkit has agents, which replaced chats in 1.39. */
export const hasAgents: boolean = 'InMemorySessionStore' in beta
