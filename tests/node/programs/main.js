'use strict';
// An application whose time goes to loading its modules, each of which works at its top level.
const { burnInApplication } = require('./modules/first.js');
burnInApplication();
