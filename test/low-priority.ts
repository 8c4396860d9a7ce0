import os from "node:os";

// For this process and those that it starts.
os.setPriority(os.constants.priority.PRIORITY_LOW);
