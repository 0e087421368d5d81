// The numbers that the tree uses for kinds of splits and for routes of missing values.

export const THRESHOLD = 1;
export const IS_MISSING = 3;
export const STOP_HERE = -1;
export const ALL_BRANCHES = -2;
