'use strict';
const { burn } = require('./second.js');

function setUpFirst() {
  burn(60);
}

setUpFirst();
exports.burnInApplication = function burnInApplication() {
  burn(60);
};
