import { StateBackend } from 'deepagents'

/** Whether deepagents is 1.14: it can delete files, and a middleware of the user takes the place of its own of that name. */
export const isNewest: boolean = 'delete' in StateBackend.prototype
