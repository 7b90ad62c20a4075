import { StateBackend } from 'deepagents'

/** Whether deepagents is 1.14, which can delete files, and lets a user's middleware replace its own by name. */
export const isNewest: boolean = 'delete' in StateBackend.prototype
