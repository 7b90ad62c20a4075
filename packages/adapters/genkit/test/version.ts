import * as beta from 'genkit/beta'

/** Whether the installed Genkit has agents, which came in 1.39 in the place of chats. */
export const hasAgents: boolean = 'InMemorySessionStore' in beta
