import { testWalks } from "./hpa-walks";

testWalks({ seconds: 45, leastSteps: 25 });
