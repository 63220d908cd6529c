/** The promises about autonomous runs. */
export const CONTRACT_PROMISES = [
  { id: 'contract.achieved', text: 'a run works until its checks pass, and its receipt names every change' },
  { id: 'contract.fence', text: 'a call that would pass a fence ends the run, and nothing has changed' },
  { id: 'contract.limits', text: 'a run ends at its first limit, and without progress' },
  { id: 'contract.copy', text: 'commands and checks run on a copy: ignored files stay as they are' },
  { id: 'contract.already', text: 'checks that pass already need no model' },
  { id: 'contract.usage', text: 'an incomplete contract is an error that says what is missing' },
  { id: 'contract.prompt', text: 'the whole contract is shown and approved once, and the run can be undone' },
  { id: 'contract.end', text: 'the end of a run says what was used, what is missing, and how to go on' },
  { id: 'contract.resume', text: 'a run that ended early goes on; what it used counts, and its pins stay' },
  {
    id: 'contract.kill',
    text: 'a run that is killed goes on: no effect twice, and its receipt is the diff of the tree',
  },
  {
    id: 'contract.adversary',
    text: 'no model passes a fence, and its run is undone to the byte without the edits of the user',
  },
  { id: 'contract.first-limit', text: 'a run ends at the first limit that it reaches, in the middle of an answer too' },
  {
    id: 'contract.honest',
    text: 'an honest model makes the checks of small repositories pass, and its run can be undone',
  },
  { id: 'contract.replay', text: 'the message of aish to the model is not shown as one of the user' },
  { id: 'contract.worktree', text: 'a run in a working copy leaves the project and its repository alone' },
  { id: 'contract.background', text: 'a run in the background leaves the prompt to the user, and ends with aish' },
  { id: 'contract.apply', text: 'changes of a working copy are applied path by path, and never over an edit' },
  { id: 'contract.pause', text: 'a paused run begins nothing, counts no time, and can be stopped' },
  { id: 'contract.steer', text: 'a message sent with Ctrl-S steers a run' },
  { id: 'contract.plan', text: 'the model keeps a plan; the user sees it, edits it, and the model learns of it' },
  { id: 'contract.propose', text: 'a plain sentence becomes a contract in the line, which the user changes and sends' },
  {
    id: 'contract.stream',
    text: 'a limit ends a run in the middle of an answer, and so does a call that fails again and again',
  },
] as const;
